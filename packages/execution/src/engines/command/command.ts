import { defineEngine } from '../../engine.ts';

/** A command of a provider: each run starts it anew, and its whole process group ends with the run. */
export const command = defineEngine({
  open: async () => (await import('./run-command.ts')).openCommand(),
  isReusable: true,
  blocks: false,
  packages: undefined,
  flags: [],
});
