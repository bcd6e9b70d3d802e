package dev.holdfast.lock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The rules and the checks know each other. */
class RuleCoverageTest {
    @Test
    void everyRuleHasACheckAndEveryCheckARule() {
        Set<String> cited = new TreeSet<>();
        Check.all().forEach(c -> cited.addAll(c.rules()));
        assertThat(Rules.texts().keySet()).containsAll(cited);
        Set<String> uncited = new TreeSet<>(Rules.texts().keySet());
        uncited.removeAll(cited);
        assertThat(uncited).as("rules without a check").isEmpty();
        assertThat(Check.all())
                .allSatisfy(c -> assertThat(c.rules()).as(c.name()).isNotEmpty());
    }

    @Test
    void checksAreNamedAfterTheirRuleAndFinal() {
        assertThat(Check.all()).hasSizeGreaterThan(100).allSatisfy(c -> {
            assertThat(c.name()).matches("required_[A-Z][0-9]+_[a-z][A-Za-z0-9]+");
            assertThat(c.rules()).contains(c.name().split("_", -1)[1]);
            assertThat(Modifier.isFinal(c.method().getModifiers())).as(c.name()).isTrue();
        });
        assertThat(Check.all().stream().map(Check::name)).doesNotHaveDuplicates();
    }

    @Test
    void theJarHasTheRulesOfTheRepository() throws IOException {
        String spec = Files.readString(Path.of("../lock-api/SPEC.md"));
        assertThat(Rules.texts()).hasSizeGreaterThan(80);
        Rules.texts().keySet().forEach(rule -> assertThat(spec).contains("| " + rule + " | "));
    }
}
