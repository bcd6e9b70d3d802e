package dev.holdfast.lock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportCheckTest {
    @TempDir
    Path reports = Path.of("");

    private String verdict(String expected) throws Exception {
        return ReportCheck.check(reports, expected);
    }

    private void write(String name, String json) throws Exception {
        Path unused = Files.writeString(reports.resolve(name + ".json"), json);
    }

    @Test
    void missingShortAndRedReportsAreFound() throws Exception {
        assertThat(verdict("a.B=1")).contains("missing");
        Report report = new Report("a.B", Profile.QUICK);
        report.add(Check.all().get(0), new Result(Result.Outcome.PASSED, null, "", 1, false));
        assertThat(report.write(reports)).exists();
        assertThat(verdict("a.B=1")).isEmpty();
        assertThat(verdict("a.B=2")).contains("1 checks were executed").contains("at least 2");
        for (Result.Outcome red : List.of(Result.Outcome.FAILED, Result.Outcome.ABORTED, Result.Outcome.MISSING)) {
            Report bad = new Report("a.C", Profile.QUICK);
            bad.add(Check.all().get(0), new Result(Result.Outcome.PASSED, null, "", 1, false));
            bad.add(Check.all().get(1), new Result(red, null, "seen", 1, false));
            assertThat(bad.write(reports)).exists();
            assertThat(verdict("a.C=1")).contains("1 checks " + red);
        }
        write("a.D", "{}");
        assertThat(verdict("a.D=0")).contains("not a report");
    }

    @Test
    void jsonIsWrittenAsItShouldBe() {
        assertThat(Json.write(Map.of("a", Arrays.asList(1, "x\"\\\n\u0001", true, null))))
                .isEqualTo("{\n  \"a\": [1, \"x\\\"\\\\\\n\\u0001\", true, null]\n}\n");
    }
}
