package dev.holdfast.lock.tck;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The floor outside of JUnit: looks at the reports that a build has left, so that one that ran nothing cannot be green.
 *
 * <pre>java -cp … dev.holdfast.lock.tck.ReportCheck target/holdfast-tck com.example.MyTckTest=100 …</pre>
 *
 * Each argument after the directory is a subclass of {@link LockProviderTck} and the least number of checks it must have executed, which is a
 * number to keep under version control. A report that is missing, short, or not all green ends it with status 1.
 */
public final class ReportCheck {
    private static final Pattern COUNT = Pattern.compile("\"(executed|failed|aborted|missing)\": (\\d+)");

    private ReportCheck() {}

    /** See the class. */
    public static void main(String[] args) throws IOException {
        if (args.length < 2) {
            System.err.println("usage: ReportCheck DIRECTORY CLASS=LEAST...");
            System.exit(2);
        }
        List<String> problems = new ArrayList<>();
        for (int i = 1; i < args.length; i++) {
            String problem = check(Path.of(args[0]), args[i]);
            if (problem.isEmpty()) {
                System.out.println("ok: " + args[i]);
            } else {
                problems.add(problem);
            }
        }
        problems.forEach(System.err::println);
        if (!problems.isEmpty()) {
            System.exit(1);
        }
    }

    /** What is wrong with a report; empty if nothing is. */
    static String check(Path directory, String expected) throws IOException {
        int equals = expected.lastIndexOf('=');
        if (equals < 0) {
            return expected + " is not of the form CLASS=LEAST";
        }
        Path file = directory.resolve(expected.substring(0, equals) + ".json");
        if (!Files.exists(file)) {
            return file + " is missing: the checks did not run";
        }
        int least = Integer.parseInt(expected.substring(equals + 1));
        String text = Files.readString(file);
        Matcher count = COUNT.matcher(text.substring(Math.max(0, text.indexOf("\"counts\""))));
        int found = 0;
        while (count.find()) {
            int number = Integer.parseInt(count.group(2));
            found++;
            if (count.group(1).equals("executed")) {
                if (number < least) {
                    return file + ": " + number + " checks were executed, and there have to be at least " + least;
                }
            } else if (number > 0) {
                return file + ": " + number + " checks " + count.group(1);
            }
        }
        return found == 4 ? "" : file + " is not a report";
    }
}
