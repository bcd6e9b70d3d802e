package dev.holdfast.lock.tck;

class MemoryFairTest extends LockProviderTck {
    @Override
    protected Harness harness() {
        return new MemoryHarness(true);
    }
}
