package dev.holdfast.lock.tck;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * One check of the kit.
 *
 * @param family the nested class of {@link LockProviderTck}
 * @param method the test method
 * @param rules the rules that it proves
 */
record Check(String family, Method method, List<String> rules) {
    private static final List<Check> ALL = find();

    /** Every check, by family in the order of the rules and by name. */
    static List<Check> all() {
        return ALL;
    }

    String name() {
        return method.getName();
    }

    private static List<Check> find() {
        List<Check> all = new ArrayList<>();
        for (Class<?> family : LockProviderTck.class.getDeclaredClasses()) {
            if (family.isAnnotationPresent(Nested.class)) {
                for (Method method : family.getSuperclass().getDeclaredMethods()) {
                    if (method.isAnnotationPresent(Test.class)) {
                        Rule rule = method.getAnnotation(Rule.class);
                        all.add(new Check(
                                family.getSimpleName(),
                                method,
                                rule == null ? List.of() : List.copyOf(Arrays.asList(rule.value()))));
                    }
                }
            }
        }
        all.sort(Comparator.comparing((Check c) -> Family.valueOf(c.family)).thenComparing(Check::name));
        return List.copyOf(all);
    }

    /** The families, in the order of the report. */
    enum Family {
        Discovery,
        Exclusion,
        Waiting,
        Lease,
        Renewal,
        Release,
        Reentrancy,
        Fencing,
        Loss,
        Names,
        Errors,
        Lifecycle,
        CrossProcess
    }
}
