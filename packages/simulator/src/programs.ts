import { threadEntry } from '@data-designer/core';

/** The model server: the address of a program to start with `node` as a child process. */
export const simulatorProgram: string = threadEntry(import.meta.url, './simulator').href;

/** The tools of the demo tool server. */
export const demoToolNames: readonly string[] = ['get_fact', 'add_numbers', 'list_topics'];

/** The demo tool server: the address of a program to start with `node` as a child process. */
export const demoToolsProgram: string = threadEntry(import.meta.url, './demo-tools/demo-tools').href;
