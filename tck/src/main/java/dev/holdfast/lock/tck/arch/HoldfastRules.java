package dev.holdfast.lock.tck.arch;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasOwner;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.GeneralCodingRules;
import dev.holdfast.lock.tck.Rule;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.NullMarked;

/**
 * What the code of a module must look like. One line in a test of the module is enough:
 *
 * <pre>HoldfastRules.provider(RedisLockProvider.class, "redis.clients..").check(6);</pre>
 *
 * Every rule says why it is there. The number is the least number of classes that must have been looked at, so that no rule passes on nothing.
 */
public final class HoldfastRules {
    private static final String API = "dev.holdfast.lock";
    private static final String[] JDK_AND_JSPECIFY = {"java..", "javax..", "org.jspecify.."};

    private final Class<?> anchor;
    private final List<ArchRule> rules = new ArrayList<>();

    private HoldfastRules(Class<?> anchor) {
        this.anchor = anchor;
    }

    /** The rules for lock-api. */
    public static HoldfastRules lockApi(Class<?> anchor) {
        HoldfastRules rules = library(anchor);
        rules.rules.add(dependsOnlyOn("dev.holdfast.lock.."));
        rules.rules.add(publicTypesAreClosed());
        return rules;
    }

    /**
     * The rules for a provider.
     *
     * @param anchor a class of it
     * @param vendor the packages of the vendor's library, as {@code "redis.clients.."}
     */
    public static HoldfastRules provider(Class<?> anchor, String... vendor) {
        HoldfastRules rules = library(anchor);
        List<String> allowed = new ArrayList<>(List.of(API, API + ".spi", anchor.getPackageName() + ".."));
        allowed.addAll(Arrays.asList(vendor));
        rules.rules.add(dependsOnlyOn(allowed.toArray(String[]::new)));
        rules.rules.add(publicTypesAreClosed());
        rules.rules.add(internalsAreUnreachable());
        rules.rules.add(noVendorTypeInAPublicSignature(Set.of(), vendor));
        return rules;
    }

    /**
     * The rules for any other module that is not a library for locks: a command line, a benchmark, the kit.
     *
     * @param anchor a class of it
     */
    public static HoldfastRules application(Class<?> anchor) {
        HoldfastRules rules = new HoldfastRules(anchor);
        rules.rules.add(noSleep());
        rules.rules.add(noLock());
        rules.rules.add(packagesAreNullMarked());
        rules.rules.add(internalsAreUnreachable());
        return rules;
    }

    /** Lets these methods and constructors, such as {@code "RedisLocks.open"}, take or return types of the vendor: a provider's own public factories. */
    public HoldfastRules withVendorTypesIn(Set<String> members, String... vendor) {
        rules.removeIf(rule -> rule.getDescription().startsWith(VENDOR_RULE));
        rules.add(noVendorTypeInAPublicSignature(members, vendor));
        return this;
    }

    private static HoldfastRules library(Class<?> anchor) {
        HoldfastRules rules = new HoldfastRules(anchor);
        rules.rules.addAll(List.of(
                clocksOnlyInSystemTime(),
                noSleep(),
                noStandardStreams(),
                noGenericExceptions(),
                noLock(),
                packagesAreNullMarked()));
        return rules;
    }

    /**
     * Checks all rules.
     *
     * @param leastClasses how many classes the module has at least
     */
    public void check(int leastClasses) {
        CodeSource source = anchor.getProtectionDomain().getCodeSource();
        JavaClasses classes = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_PACKAGE_INFOS)
                .importUrl(source.getLocation());
        check(classes, leastClasses);
    }

    /** As {@link #check(int)}, for classes that are imported already. */
    public void check(JavaClasses classes, int leastClasses) {
        if (classes.size() < leastClasses) {
            throw new AssertionError("only " + classes.size() + " classes were found beside " + anchor.getName()
                    + ", expected at least " + leastClasses + ": the rules would pass on nothing");
        }
        List<String> broken = new ArrayList<>();
        for (ArchRule rule : rules) {
            try {
                rule.allowEmptyShould(true).check(classes);
            } catch (AssertionError e) {
                broken.add(e.getMessage());
            }
        }
        if (!broken.isEmpty()) {
            throw new AssertionError(String.join("\n\n", broken));
        }
    }

    // ---- the rules, one by one

    /** Only the JDK, JSpecify and these. */
    public static ArchRule dependsOnlyOn(String... packages) {
        Set<String> allowed = new LinkedHashSet<>(Arrays.asList(JDK_AND_JSPECIFY));
        allowed.addAll(Arrays.asList(packages));
        return classes()
                .should()
                .onlyDependOnClassesThat(are(resideInAnyPackage(allowed.toArray(String[]::new)))
                        .or(describe(
                                "are primitive", c -> c.getBaseComponentType().isPrimitive()))
                        .as("reside in " + allowed))
                .because("whoever adds a lock to an application takes nothing else along");
    }

    /** Nobody outside depends on what is internal. */
    public static ArchRule internalsAreUnreachable() {
        return noClasses()
                .that()
                .resideOutsideOfPackages(
                        "dev.holdfast.lock",
                        "dev.holdfast.lock.spi",
                        "dev.holdfast.lock.memory",
                        "dev.holdfast.lock.internal")
                .should()
                .dependOnClassesThat(resideInAPackage("dev.holdfast.lock.internal.."))
                .because("what is internal may change at any time");
    }

    /** Nobody extends a public class by accident. */
    public static ArchRule publicTypesAreClosed() {
        return classes()
                .that()
                .arePublic()
                .should(satisfy(
                        "be final, sealed, a record, an enum, an interface or an exception",
                        c -> c.isInterface()
                                || c.isEnum()
                                || c.isRecord()
                                || c.getModifiers().contains(JavaModifier.FINAL)
                                || c.isAssignableTo(Throwable.class)
                                || c.reflect().isSealed()))
                .because("a class that can be extended is a promise, and each should be made on purpose");
    }

    private static final String VENDOR_RULE = "no vendor type in a public signature";

    /** Vendor types stay behind the provider's doors, but for its own factories. */
    public static ArchRule noVendorTypeInAPublicSignature(Set<String> except, String... vendor) {
        DescribedPredicate<JavaClass> ofVendor =
                vendor.length == 0 ? describe("nothing", c -> false) : resideInAnyPackage(vendor);
        return classes()
                .that()
                .arePublic()
                .should(new ArchCondition<JavaClass>("not show a type of " + List.of(vendor)) {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        for (JavaMember member : type.getMembers()) {
                            boolean seen = member.getModifiers().contains(JavaModifier.PUBLIC)
                                    || member.getModifiers().contains(JavaModifier.PROTECTED);
                            String name = type.getSimpleName() + "." + member.getName();
                            if (seen
                                    && !except.contains(name)
                                    && signature(member).stream().anyMatch(ofVendor)) {
                                events.add(SimpleConditionEvent.violated(
                                        member, member.getFullName() + " shows a type of the vendor"));
                            }
                        }
                    }
                })
                .as(VENDOR_RULE + (except.isEmpty() ? "" : " except in " + except))
                .because("swapping the backend must not change the code that uses it");
    }

    private static Set<JavaClass> signature(JavaMember member) {
        Set<JavaClass> types = new LinkedHashSet<>();
        if (member instanceof JavaField field) {
            types.addAll(field.getType().getAllInvolvedRawTypes());
        } else if (member instanceof JavaCodeUnit unit) {
            types.addAll(unit.getReturnType().getAllInvolvedRawTypes());
            unit.getParameterTypes().forEach(t -> types.addAll(t.getAllInvolvedRawTypes()));
            types.addAll(unit.getExceptionTypes());
        }
        return types;
    }

    /** One clock. */
    public static ArchRule clocksOnlyInSystemTime() {
        return noClasses()
                .that()
                .doNotHaveSimpleName("SystemTime")
                .should()
                .callMethodWhere(describe(
                        "a clock is asked",
                        call -> isCall(call.getTarget(), "java.lang.System", "nanoTime|currentTimeMillis")
                                || (call.getTargetOwner().getPackageName().equals("java.time")
                                        && call.getTarget()
                                                .getName()
                                                .matches("now|systemUTC|systemDefaultZone|tick.*"))))
                .orShould()
                .callConstructorWhere(describe(
                        "a date is made of now",
                        call -> call.getTargetOwner().getName().equals("java.util.Date")
                                && call.getTarget().getRawParameterTypes().isEmpty()))
                .because("everything must run on virtual time, and nothing by the wall clock");
    }

    private static boolean isCall(AccessTarget target, String owner, String names) {
        return HasOwner.Predicates.With.<JavaClass>owner(
                                describe(owner, c -> c.getName().equals(owner)))
                        .test(target)
                && nameMatching(names).test(target);
    }

    /** Nobody sleeps. */
    public static ArchRule noSleep() {
        return noClasses()
                .should()
                .callMethodWhere(describe(
                        "a thread sleeps",
                        call -> isCall(call.getTarget(), "java.lang.Thread", "sleep")
                                || isCall(call.getTarget(), "java.util.concurrent.TimeUnit", "sleep")))
                .because("waiting has a condition and a limit, and goes through the time source");
    }

    /** Nobody prints. */
    public static ArchRule noStandardStreams() {
        return GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.because(
                "a library speaks through System.Logger");
    }

    /** Nobody throws what cannot be told apart. */
    public static ArchRule noGenericExceptions() {
        return GeneralCodingRules.NO_CLASSES_SHOULD_THROW_GENERIC_EXCEPTIONS.because(
                "callers branch on the kind of an exception");
    }

    /** A lease is not a {@link Lock}. */
    public static ArchRule noLock() {
        return noClasses()
                .should()
                .beAssignableTo(Lock.class)
                .because("a Lock cannot say that it was lost, and is bound to a thread");
    }

    /** Nothing is null unless it says so. */
    public static ArchRule packagesAreNullMarked() {
        return classes()
                .that(describe("are not anonymous", c -> !c.isAnonymousClass()))
                .should(satisfy(
                        "reside in a package with @NullMarked",
                        c -> c.reflect().getPackage().isAnnotationPresent(NullMarked.class)))
                .because("NullAway looks at marked packages only");
    }

    /** Every check of the kit proves a rule, and nobody can replace it. */
    public static ArchRule checksAreFinalAndCiteARule() {
        return methods()
                .that(describe(
                        "are checks",
                        (JavaMethod m) -> m.isAnnotatedWith("org.junit.jupiter.api.Test")
                                && m.getOwner().getSimpleName().endsWith("Checks")))
                .should()
                .beFinal()
                .andShould()
                .beAnnotatedWith(Rule.class)
                .because("a check is a promise with a number, and leaves the run only through a claim");
    }

    private static ArchCondition<JavaClass> satisfy(
            String description, java.util.function.Predicate<JavaClass> predicate) {
        return new ArchCondition<>(description) {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                events.add(new SimpleConditionEvent(
                        type, predicate.test(type), type.getName() + " does not: " + description));
            }
        };
    }
}
