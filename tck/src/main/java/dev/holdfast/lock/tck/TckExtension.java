package dev.holdfast.lock.tck;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockGuarantees;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestWatcher;
import org.opentest4j.TestAbortedException;

/** Runs the checks of one subclass of {@link LockProviderTck}, and sees to it that all of them ran. */
final class TckExtension
        implements BeforeAllCallback, AfterAllCallback, ParameterResolver, InvocationInterceptor, TestWatcher {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(TckExtension.class);
    private static final Map<Method, Check> CHECKS =
            Check.all().stream().collect(Collectors.toUnmodifiableMap(Check::method, Function.identity()));

    // ---- the whole class

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        if (!isTck(context)) {
            return;
        }
        Path directory = Path.of(
                context.getConfigurationParameter(Report.DIRECTORY_PROPERTY).orElse("target/holdfast-tck"));
        Profile profile =
                Profile.of(context.getConfigurationParameter(Profile.PROPERTY).orElse("quick"));
        Run run = new Run(context.getRequiredTestClass(), profile, directory);
        context.getStore(NAMESPACE).put(Run.class, run);
        if (!(context.getTestInstance().orElse(null) instanceof LockProviderTck tck)) {
            throw new AssertionError(context.getRequiredTestClass().getName()
                    + " must keep the life cycle PER_CLASS that it has from LockProviderTck");
        }
        run.open(tck);
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        if (isTck(context)) {
            run(context).close();
        }
    }

    private static boolean isTck(ExtensionContext context) {
        return context.getTestClass()
                .filter(LockProviderTck.class::isAssignableFrom)
                .isPresent();
    }

    private static Run run(ExtensionContext context) {
        return Objects.requireNonNull(context.getStore(NAMESPACE).get(Run.class, Run.class), "no run");
    }

    private static @Nullable Check check(ExtensionContext context) {
        return context.getTestMethod().map(CHECKS::get).orElse(null);
    }

    // ---- one check

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Scene.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Scene scene = run(context).scene();
        context.getStore(NAMESPACE).put(Scene.class, scene);
        return scene;
    }

    @Override
    public void interceptTestMethod(
            Invocation<@Nullable Void> invocation,
            ReflectiveInvocationContext<Method> invocationContext,
            ExtensionContext context)
            throws Throwable {
        Check check = check(context);
        if (check == null) {
            invocation.proceed();
            return;
        }
        Scene scene = Objects.requireNonNull(context.getStore(NAMESPACE).get(Scene.class, Scene.class), "no scene");
        run(context).run(check, scene, invocation);
    }

    @Override
    public void testDisabled(ExtensionContext context, Optional<String> reason) {
        Check check = check(context);
        if (check != null) {
            run(context).elsewhere.put(check, "disabled: " + reason.orElse("no reason given"));
        }
    }

    @Override
    public void testAborted(ExtensionContext context, @Nullable Throwable cause) {
        Check check = check(context);
        if (check != null && !(cause instanceof SkippedCheck)) {
            run(context).elsewhere.put(check, "aborted before it began: " + cause);
        }
    }

    @Override
    public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
        Check check = check(context);
        if (check != null) {
            run(context).elsewhere.put(check, "failed before it began: " + cause);
        }
    }

    /** One run of a subclass. */
    private static final class Run {
        private final Profile profile;
        private final Report report;
        private final String testClass;
        private final Path directory;
        /** What happened to checks that never came to their own code. */
        private final Map<Check, String> elsewhere = new ConcurrentHashMap<>();

        private final long began = System.nanoTime();
        private @Nullable Harness harness;
        private @Nullable Clock clock;
        private @Nullable LockGuarantees declared;
        private @Nullable LockGuarantees effective;

        Run(Class<?> testClass, Profile profile, Path directory) {
            this.profile = profile;
            this.testClass = testClass.getName();
            this.directory = directory;
            report = new Report(this.testClass, profile);
        }

        void open(LockProviderTck tck) throws Exception {
            Harness opened = Objects.requireNonNull(tck.harness(), "harness() returned null");
            harness = opened;
            Clock time = opened.clock();
            clock = time;
            time.run(() -> {
                try (Route route = opened.route();
                        LockClient client =
                                time.open(route.provider(), route.options().build())) {
                    declared = client.declared();
                    effective = client.guarantees();
                    report.about(
                            opened,
                            route.provider().scheme(),
                            route.provider().getClass().getName(),
                            time.isVirtual());
                    report.about(client.declared(), client.guarantees(), client.observations());
                }
                return "open";
            });
        }

        Scene scene() {
            return new Scene(
                    Objects.requireNonNull(harness),
                    Objects.requireNonNull(clock),
                    profile,
                    Objects.requireNonNull(declared),
                    Objects.requireNonNull(effective));
        }

        void run(Check check, Scene scene, Invocation<@Nullable Void> invocation) throws Throwable {
            long from = System.nanoTime();
            Throwable failure = Objects.requireNonNull(clock)
                    .run(() -> Optional.ofNullable(run(scene, invocation)))
                    .orElse(null);
            long millis = (System.nanoTime() - from) / 1_000_000;
            if (failure == null && !scene.isUsed()) {
                failure = new AssertionError("the check did not run: its invocation was skipped");
            }
            if (failure instanceof MissingHook missing) {
                failure = new SkippedCheck(SkipReason.NO_HOOK, "the harness has no method " + missing.getMessage());
            }
            if (failure == null) {
                report.add(check, new Result(Result.Outcome.PASSED, null, "", millis, false));
                return;
            }
            if (failure instanceof SkippedCheck skipped) {
                report.add(
                        check, new Result(Result.Outcome.SKIPPED, skipped.reason(), skipped.detail(), millis, false));
                throw skipped;
            }
            if (failure instanceof TestAbortedException aborted) {
                report.add(
                        check,
                        new Result(Result.Outcome.ABORTED, null, String.valueOf(aborted.getMessage()), millis, false));
                throw new AssertionError(
                        "aborted, which is not a way out of a check: " + aborted.getMessage(), aborted);
            }
            Throwable explained = explained(check, scene, failure);
            report.add(
                    check,
                    new Result(
                            Result.Outcome.FAILED,
                            null,
                            String.valueOf(explained.getMessage()),
                            millis,
                            failure instanceof AssertionError));
            throw explained;
        }

        /** Runs it, and puts the servers right again whatever happened. */
        private static @Nullable Throwable run(Scene scene, Invocation<@Nullable Void> invocation) {
            Throwable failure = null;
            scene.begin();
            try {
                invocation.proceed();
            } catch (Throwable e) {
                failure = e;
            }
            boolean interrupted = Thread.interrupted();
            try {
                scene.close();
            } catch (Exception | AssertionError e) {
                AssertionError untidy = new AssertionError("putting things right after the check failed: " + e, e);
                if (failure == null || failure instanceof SkippedCheck || failure instanceof MissingHook) {
                    failure = untidy;
                } else {
                    failure.addSuppressed(untidy);
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            return failure;
        }

        private static Throwable explained(Check check, Scene scene, Throwable failure) {
            StringBuilder text = new StringBuilder();
            boolean broken = failure instanceof AssertionError;
            for (String rule : check.rules()) {
                boolean first = text.isEmpty();
                text.append(rule)
                        .append(first && broken ? " is broken: " : ": ")
                        .append(Rules.text(rule))
                        .append('\n');
            }
            text.append("  seen: ")
                    .append(broken ? failure.getMessage() : "an exception that the rules do not allow: " + failure);
            text.append("\n  what happened:\n").append(scene.record());
            return new AssertionError(text.toString(), failure);
        }

        void close() throws Exception {
            Throwable failure = null;
            if (harness != null) {
                try {
                    harness.close();
                } catch (Exception e) {
                    failure = e;
                }
            }
            List<String> missing = new ArrayList<>();
            for (Check check : Check.all()) {
                if (report.result(check) == null) {
                    String why = elsewhere.getOrDefault(check, "hidden, filtered or never reached");
                    report.add(check, new Result(Result.Outcome.MISSING, null, why, 0, false));
                    missing.add(check.family() + "." + check.name() + " (" + why + ")");
                }
            }
            report.took((System.nanoTime() - began) / 1_000_000);
            Path file = report.write(directory);
            if (!missing.isEmpty()) {
                throw new AssertionError(
                        "%d of %d checks of %s did not run, which is not allowed; the report is %s:\n  %s"
                                .formatted(
                                        missing.size(),
                                        Check.all().size(),
                                        testClass,
                                        file,
                                        String.join("\n  ", missing)));
            }
            if (failure != null) {
                throw new AssertionError("the harness could not be closed: " + failure, failure);
            }
        }
    }
}
