package dev.holdfast.lock.tck.arch;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What a module shows to the world, as text under version control: a change of the API is then seen in its review. */
public final class ApiListing {
    /** The system property that, set to true, rewrites the file in place of comparing. */
    public static final String WRITE_PROPERTY = "holdfast.api.write";

    private ApiListing() {}

    /**
     * Fails if the public API of a module is not what the file says.
     *
     * @param anchor a class of the module
     * @param file the listing
     */
    public static void verify(Class<?> anchor, Path file) {
        String actual = of(anchor);
        try {
            if (Boolean.getBoolean(WRITE_PROPERTY)) {
                Path unused = Files.writeString(file, actual);
                return;
            }
            String expected = Files.exists(file) ? Files.readString(file) : "";
            if (!actual.equals(expected)) {
                throw new AssertionError(
                        "the public API has changed; if it was meant to, run again with -D" + WRITE_PROPERTY
                                + "=true and commit " + file.normalize() + ":\n" + difference(expected, actual));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The listing of a module: public types outside of {@code internal} packages, and their public and protected members. */
    public static String of(Class<?> anchor) {
        List<String> types = new ClassFileImporter()
                .importUrl(anchor.getProtectionDomain().getCodeSource().getLocation()).stream()
                        .map(JavaClass::getName)
                        .sorted()
                        .toList();
        StringBuilder out = new StringBuilder();
        for (String name : types) {
            Class<?> type = load(name, anchor.getClassLoader());
            if (isShown(type)) {
                out.append(head(type)).append('\n');
                members(type).forEach(line -> out.append("    ").append(line).append('\n'));
            }
        }
        return out.toString();
    }

    private static Class<?> load(String name, ClassLoader loader) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isShown(Class<?> type) {
        for (Class<?> c = type; c != null; c = c.getEnclosingClass()) {
            if (!shown(c.getModifiers()) || c.isAnonymousClass() || c.isLocalClass()) {
                return false;
            }
        }
        return !type.isSynthetic()
                && !(type.getPackageName() + ".").contains(".internal.")
                && !type.getSimpleName().equals("package-info");
    }

    private static boolean shown(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static String head(Class<?> type) {
        List<String> parents = new ArrayList<>();
        Type parent = type.getGenericSuperclass();
        if (parent != null && parent != Object.class && !type.isEnum() && !type.isRecord()) {
            parents.add("extends " + parent.getTypeName());
        }
        if (type.getGenericInterfaces().length > 0) {
            parents.add((type.isInterface() ? "extends " : "implements ")
                    + Arrays.stream(type.getGenericInterfaces())
                            .map(Type::getTypeName)
                            .sorted()
                            .collect(Collectors.joining(", ")));
        }
        return (type.isSealed() ? "sealed " : "")
                + type.toGenericString()
                + (parents.isEmpty() ? "" : " " + String.join(" ", parents));
    }

    private static Set<String> members(Class<?> type) {
        Set<String> lines = new TreeSet<>();
        for (Field field : type.getDeclaredFields()) {
            add(lines, type, field, field.toGenericString());
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            add(lines, type, constructor, constructor.toGenericString());
        }
        for (Method method : type.getDeclaredMethods()) {
            add(lines, type, method, method.toGenericString());
        }
        return lines;
    }

    private static void add(Set<String> lines, Class<?> type, Member member, String text) {
        if (shown(member.getModifiers()) && !member.isSynthetic()) {
            boolean unused = lines.add(text.replace(type.getName() + ".", ""));
        }
    }

    private static String difference(String expected, String actual) {
        List<String> before = expected.lines().toList();
        List<String> after = actual.lines().toList();
        StringBuilder out = new StringBuilder();
        before.stream()
                .filter(line -> !after.contains(line))
                .forEach(line -> out.append("- ").append(line).append('\n'));
        after.stream()
                .filter(line -> !before.contains(line))
                .forEach(line -> out.append("+ ").append(line).append('\n'));
        return out.toString();
    }
}
