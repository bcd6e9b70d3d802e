package dev.holdfast.lock;

import java.util.ArrayList;
import java.util.List;

/** A client cannot be opened as asked: bad options, no provider or several, or guarantees that the backend does not offer. All problems are listed. */
public final class LockConfigurationException extends LockException {
    private static final long serialVersionUID = 1L;

    private final ArrayList<String> problems;

    /**
     * @param what what could not be done
     * @param problems each with the value and the way out; never a secret
     */
    public LockConfigurationException(String what, List<String> problems) {
        super(problems.isEmpty() ? what : what + ":\n  - " + String.join("\n  - ", problems), null);
        this.problems = new ArrayList<>(problems);
    }

    /** Each problem, in the order in which it was found. */
    public List<String> problems() {
        return List.copyOf(problems);
    }
}
