import '@data-designer/core/end-on-old-node';

// Loaded once it is known that this Node can: what is imported statically is linked before anything runs.
await import('./run-simulator.ts');
