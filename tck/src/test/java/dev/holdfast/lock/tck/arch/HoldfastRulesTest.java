package dev.holdfast.lock.tck.arch;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.holdfast.lock.tck.arch.broken.Broken;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each rule is seen red. */
class HoldfastRulesTest {
    private final JavaClasses broken = new ClassFileImporter().importPackages(Broken.class.getPackageName());

    @Test
    void everyRuleFindsItsViolation() {
        Map.<ArchRule, String>of(
                        HoldfastRules.dependsOnlyOn("dev.holdfast.."), "com.tngtech.archunit",
                        HoldfastRules.internalsAreUnreachable(), "internal.Names",
                        HoldfastRules.publicTypesAreClosed(), "Broken does not: be final",
                        HoldfastRules.noVendorTypeInAPublicSignature(Set.of(), "com.tngtech.."), "Broken.vendor()",
                        HoldfastRules.clocksOnlyInSystemTime(), "Instant.now()",
                        HoldfastRules.noSleep(), "TimeUnit.sleep",
                        HoldfastRules.noStandardStreams(), "System.out",
                        HoldfastRules.noGenericExceptions(), "java.lang.Exception",
                        HoldfastRules.noLock(), "ALock",
                        HoldfastRules.checksAreFinalAndCiteARule(), "neitherFinalNorOfARule")
                .forEach((rule, fragment) -> assertThatThrownBy(() -> rule.check(broken))
                        .isInstanceOf(AssertionError.class)
                        .hasMessageContaining(fragment));
        assertThatThrownBy(() -> HoldfastRules.packagesAreNullMarked().check(broken))
                .hasMessageContaining("@NullMarked");
    }

    @Test
    void factoriesThatAreNamedMayShowTheVendor() {
        assertThatCode(() -> HoldfastRules.noVendorTypeInAPublicSignature(Set.of("Broken.vendor"), "com.tngtech..")
                        .check(broken))
                .doesNotThrowAnyException();
    }

    @Test
    void rulesDoNotPassOnNothing() {
        assertThatThrownBy(() -> HoldfastRules.provider(Broken.class).check(broken, 100))
                .hasMessageContaining("pass on nothing");
        assertThatThrownBy(() -> HoldfastRules.provider(Broken.class).check(broken, 1))
                .isInstanceOf(AssertionError.class);
    }
}
