package sample;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.tck.Clock;
import dev.holdfast.lock.tck.Harness;
import dev.holdfast.lock.tck.LockProviderTck;
import dev.holdfast.lock.tck.arch.HoldfastRules;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** What is said about the sample is so. */
class SampleTest {
    /** Types of the API that the signatures of the SPI show, or the builders of what they show. */
    private static final Pattern API = Pattern.compile(
            "dev\\.holdfast\\.lock\\.(Fairness|Fault|Fencing|HoldModel|LeaseLoss(\\$Cause)?"
                    + "|LockGuarantees(\\$Builder)?|LockOptions(\\$Reader)?|Option|Reentrancy|ReleaseOutcome|Scope|Waiting)");

    @Test
    void itNeedsTheSpiAlone() {
        var sample = new ClassFileImporter()
                .importPackages("sample")
                .that(new DescribedPredicate<>("are the provider's") {
                    @Override
                    public boolean test(JavaClass c) {
                        return c.getName().startsWith(SampleLockProvider.class.getName());
                    }
                });
        assertThat(sample).hasSizeGreaterThan(2);
        classes()
                .should()
                .onlyDependOnClassesThat(new DescribedPredicate<>("are of the SPI or what it shows") {
                    @Override
                    public boolean test(JavaClass c) {
                        return c.getPackageName().startsWith("java.")
                                || c.isPrimitive()
                                || c.getBaseComponentType().isPrimitive()
                                || c.getPackageName().equals("sample")
                                || c.getPackageName().equals("org.jspecify.annotations")
                                || c.getPackageName().equals("dev.holdfast.lock.spi")
                                || API.matcher(c.getName()).matches();
                    }
                })
                .check(sample);
        HoldfastRules.provider(SampleLockProvider.class).check(sample, 4);
    }

    @Test
    void itsTestIsShort() throws Exception {
        List<String> lines = Files.readAllLines(Path.of("src/test/java/sample/SampleTckTest.java"));
        assertThat(lines).hasSizeLessThanOrEqualTo(20);
        assertThat(lines.stream().filter(l -> l.startsWith("import ")))
                .allSatisfy(l -> assertThat(l).matches("import dev\\.holdfast\\.lock\\.(tck\\..*|LockOptions);"));
    }

    static class Broken extends LockProviderTck {
        @Override
        protected Harness harness() {
            return Harness.of(new SampleLockProvider(false), () -> LockOptions.builder("sample"), Clock.virtual());
        }
    }

    @TempDir
    Path reports = Path.of("");

    @Test
    void itIsRedWhenAPromiseIsBroken() {
        List<String> failures = EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(Broken.class))
                .configurationParameter("holdfast.report.dir", reports.toString())
                .execute()
                .testEvents()
                .failed()
                .map(Event::getTestDescriptor)
                .map(d -> d.getDisplayName())
                .toList();
        assertThat(failures).anySatisfy(f -> assertThat(f).contains("required_L6_fixedLeaseIsLostAtItsEnd"));
        assertThat(failures).hasSizeLessThan(5);
    }
}
