package dev.holdfast.lock.tck.kill;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.tck.LockProviderTck;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * A break of a promise that lock-api keeps for every driver, so that no driver can break it: one line of its source is changed, the class is compiled
 * again, and the checks run on classes loaded anew.
 *
 * @param name what it does
 * @param file the source, below {@code dev/holdfast/lock}
 * @param line what is changed; it must be there, once
 * @param into what it becomes
 * @param message a part of what its check says
 * @param convictedBy the check that is meant to convict it
 * @param mayFail every check that may, that one included, without {@code required_}
 * @param nests whether the driver below offers nesting
 */
record Mutant(
        String name,
        String file,
        String line,
        String into,
        String message,
        String convictedBy,
        Set<String> mayFail,
        boolean nests) {
    private static final Path SOURCES = Path.of("../lock-api/src/main/java/dev/holdfast/lock");

    static Mutant of(
            String name, String file, String line, String into, String message, String convictedBy, String... others) {
        Set<String> mayFail = new TreeSet<>(Arrays.asList(others));
        mayFail.add(convictedBy);
        return new Mutant(name, file, line, into, message, convictedBy, mayFail, true);
    }

    /** On a driver that does not nest. */
    Mutant withoutNesting() {
        return new Mutant(name, file, line, into, message, convictedBy, mayFail, false);
    }

    /** Compiles it, and loads a class of this package in a world where it is so. */
    Class<?> load(Class<?> testClass, Path directory) throws IOException, ClassNotFoundException {
        // As one line, so that the formatter does not matter; without line comments, which would swallow the rest.
        String source = oneLine(Files.readString(SOURCES.resolve(file))
                .replaceAll("(?m)^\\s*//.*$", "")
                .replaceAll("(?m)\\s// .*$", ""));
        String anchor = oneLine(line);
        int at = source.indexOf(anchor);
        if (at < 0 || source.indexOf(anchor, at + 1) >= 0) {
            throw new IllegalStateException(
                    file + " has to have this once, for the mutant \"" + name + "\" to change it: " + line);
        }
        String changed = source.replace(anchor, into);
        Path classes = Files.createTempDirectory(directory, "mutant");
        compile(changed, classes);
        return new Loader(classes).loadClass(testClass.getName());
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\s+", " ");
    }

    private void compile(String source, Path classes) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter errors = new StringWriter();
        boolean ok = compiler.getTask(
                        errors,
                        null,
                        null,
                        List.of(
                                "-proc:none",
                                "-nowarn",
                                "-d",
                                classes.toString(),
                                "-cp",
                                System.getProperty("java.class.path")),
                        null,
                        List.of(
                                new SimpleJavaFileObject(
                                        URI.create("string:///dev/holdfast/lock/" + file), JavaFileObject.Kind.SOURCE) {
                                    @Override
                                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                                        return source;
                                    }
                                }))
                .call();
        if (!ok) {
            throw new IllegalStateException("the mutant \"" + name + "\" does not compile:\n" + errors);
        }
    }

    /** Defines the classes of this project itself, the changed ones first, and takes all others from its parent. */
    private static final class Loader extends URLClassLoader {
        Loader(Path changed) throws IOException {
            super(
                    new URL[] {
                        changed.toUri().toURL(),
                        location(LockClient.class),
                        location(LockProviderTck.class),
                        location(Mutant.class)
                    },
                    Mutant.class.getClassLoader());
        }

        private static URL location(Class<?> type) {
            return type.getProtectionDomain().getCodeSource().getLocation();
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded == null) {
                    loaded = name.startsWith("dev.holdfast.") ? findClass(name) : super.loadClass(name, false);
                }
                return loaded;
            }
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
