const runsFromSource = import.meta.url.endsWith('.ts');

/** The model server: the address of a program to start with `node` as a child process. */
export const simulatorProgram: string = runsFromSource
  ? import.meta.resolve('./simulator.ts')
  : import.meta.resolve('./simulator.js');

/** The demo tool server: the address of a program to start with `node` as a child process. */
export const demoToolsProgram: string = runsFromSource
  ? import.meta.resolve('./demo-tools/demo-tools.ts')
  : import.meta.resolve('./demo-tools/demo-tools.js');
