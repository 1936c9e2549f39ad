import '@data-designer/core/end-on-old-node';

// Loaded once it is known that this Node can: what is imported statically is read before anything runs.
const { guardOutput } = await import('./guard-output.ts');
guardOutput();
const { runCommandLine } = await import('./command-line.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
