package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.holdfast.lock.Fairness;
import dev.holdfast.lock.Fault;
import dev.holdfast.lock.Fencing;
import dev.holdfast.lock.HoldModel;
import dev.holdfast.lock.LockGuarantees;
import dev.holdfast.lock.Property;
import dev.holdfast.lock.Reentrancy;
import dev.holdfast.lock.Scope;
import dev.holdfast.lock.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

class GuaranteeViewTest {
    private final LockGuarantees declared = LockGuarantees.builder()
            .scope(Scope.CLUSTER)
            .exclusion(Fault.CLIENT_CRASH, Fault.NODE_LOSS)
            .tokenOrder(Fault.CLIENT_CRASH, Fault.SERVER_RESTART)
            .progress(Fault.NODE_LOSS)
            .impossible(Fault.FAILOVER)
            .fencing(Fencing.DURABLE)
            .hold(HoldModel.SESSION)
            .orphanBound(Duration.ofMillis(7500))
            .reentrancy(Reentrancy.PER_OWNER)
            .fairness(Fairness.FIFO)
            .waiting(Waiting.NOTIFIED)
            .toleratedNodeLosses("a minority")
            .needs("fsync \"always\"", "a quorum")
            .build();
    private final LockGuarantees effective = declared.toBuilder()
            .without(Property.TOKEN_ORDER, Fault.SERVER_RESTART)
            .fencing(Fencing.ORDERED)
            .toleratedNodeLosses("1 of 3")
            .needs()
            .build();

    private final GuaranteeView before = view(GuaranteeView.Kind.DECLARED, declared);
    private final GuaranteeView after = view(GuaranteeView.Kind.EFFECTIVE, effective, "fsync is off: …");

    private static GuaranteeView view(GuaranteeView.Kind kind, LockGuarantees guarantees, String... observations) {
        return new GuaranteeView("some", kind, "com.example.Some", guarantees, List.of(observations));
    }

    @Test
    void cellsSayYesNoAndNotApplicable() {
        assertThat(GuaranteeView.matrix(List.of(before)).text(""))
                .containsSubsequence(
                        "                        some",
                        "safety (derived)        EFFICIENCY",
                        "orphan bound            7.5 s",
                        "exclusion survives",
                        "  client crash          yes",
                        "  client pause          no",
                        "  node loss             yes",
                        "  failover              n/a",
                        "token order survives",
                        "  client crash          yes",
                        "  server restart        yes",
                        "  node loss             no",
                        "  failover              n/a",
                        "progress resumes after",
                        "  server restart        no",
                        "  node loss             yes",
                        "  node partition        no")
                .noneMatch(line -> line.contains("backup"));
    }

    @Test
    void shortMatrixJoinsExclusionAndTokenOrder() {
        assertThat(GuaranteeView.shortMatrix(List.of(before)).text(""))
                .contains(
                        "  client crash                    yes / yes",
                        "  server restart                  no / yes",
                        "  node loss                       yes / no",
                        "  failover                        n/a");
    }

    @Test
    void whatDiffersFromTheDeclaredIsMarked() {
        List<String> lines = GuaranteeView.matrix(List.of(before, after)).text("");
        assertThat(lines).contains("                        some        some here");
        assertThat(lines.stream().filter(l -> l.endsWith("*")))
                .containsExactly(
                        "fencing                 DURABLE     ORDERED *",
                        "tolerated node losses   a minority  1 of 3 *",
                        "  server restart        yes         no *");
        assertThat(GuaranteeView.notes(List.of(before, after)))
                .containsExactly("some needs: fsync \"always\"; a quorum", "observed: fsync is off: …");
    }

    @Test
    void jsonHasEveryDimension() {
        JsonObject json = json(before);
        assertThat(json.keySet())
                .containsExactlyInAnyOrder(
                        "scheme",
                        "kind",
                        "provider",
                        "safety",
                        "scope",
                        "fencing",
                        "reentrancy",
                        "hold",
                        "orphanBound",
                        "fairness",
                        "waiting",
                        "exclusion",
                        "tokenOrder",
                        "progress",
                        "impossible",
                        "toleratedNodeLosses",
                        "needs");
        assertThat(json.get("scheme").getAsString()).isEqualTo("some");
        assertThat(json.get("kind").getAsString()).isEqualTo("declared");
        assertThat(json.get("provider").getAsString()).isEqualTo("com.example.Some");
        assertThat(json.get("safety").getAsString()).isEqualTo("EFFICIENCY");
        assertThat(json.get("scope").getAsString()).isEqualTo("CLUSTER");
        assertThat(json.get("fencing").getAsString()).isEqualTo("DURABLE");
        assertThat(json.get("reentrancy").getAsString()).isEqualTo("PER_OWNER");
        assertThat(json.get("hold").getAsString()).isEqualTo("SESSION");
        assertThat(Duration.parse(json.get("orphanBound").getAsString())).isEqualTo(Duration.ofMillis(7500));
        assertThat(json.get("fairness").getAsString()).isEqualTo("FIFO");
        assertThat(json.get("waiting").getAsString()).isEqualTo("NOTIFIED");
        assertThat(texts(json.get("exclusion"))).containsExactly("CLIENT_CRASH", "NODE_LOSS");
        assertThat(texts(json.get("tokenOrder"))).containsExactly("CLIENT_CRASH", "SERVER_RESTART");
        assertThat(texts(json.get("progress"))).containsExactly("NODE_LOSS");
        assertThat(texts(json.get("impossible"))).containsExactly("FAILOVER");
        assertThat(json.get("toleratedNodeLosses").getAsString()).isEqualTo("a minority");
        assertThat(texts(json.get("needs"))).containsExactly("fsync \"always\"", "a quorum");
    }

    @Test
    void effectiveJsonSaysWhy() {
        JsonObject json = json(after);
        assertThat(json.get("kind").getAsString()).isEqualTo("effective");
        assertThat(texts(json.get("observations"))).containsExactly("fsync is off: …");
        assertThat(texts(json.get("needs"))).isEmpty();
    }

    private static JsonObject json(GuaranteeView view) {
        return StrictJson.parse(Json.write(view.toJson())).getAsJsonObject();
    }

    private static List<String> texts(JsonElement list) {
        return StreamSupport.stream(list.getAsJsonArray().spliterator(), false)
                .map(JsonElement::getAsString)
                .toList();
    }
}
