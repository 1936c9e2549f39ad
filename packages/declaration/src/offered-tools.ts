import { readFileSync } from 'node:fs';
import { fieldsOf, itemsOf, tryParse } from '@data-designer/core';
import { toolsOfProvider } from '@data-designer/core/tools-answer';
import type { CheckOptions, Providers } from '@data-designer/config';
import type { LocalToolProvider } from '@data-designer/mcp';
import { builtInTools } from './built-in-providers.ts';

type Offered = ReturnType<NonNullable<NonNullable<CheckOptions['providers']>['offered']>>;

/** The tools of functions, of files in place of lists, and of built-in servers: they are known without starting a server. */
export function offeredTools({ tools }: Providers, localTools: readonly LocalToolProvider[]): Offered {
  const ofServers = tools.flatMap((provider) => {
    const names = builtInTools(provider) ?? filedTools(provider);
    return names ? [[provider.name, { names, prefix: provider.toolPrefix }] as const] : [];
  });
  const own = localTools.flatMap((local) =>
    'tools' in local
      ? [[local.name, { names: local.tools.map(({ name }) => name), prefix: local.toolPrefix }] as const]
      : [],
  );
  const unknown = new Set(localTools.map(({ name }) => name));
  return new Map([...ofServers.filter(([name]) => !unknown.has(name)), ...own]);
}

/** The tools that the file of a provider lists; undefined without one that can be read, which a run reports. */
function filedTools({ name, toolsFile }: Providers['tools'][number]): readonly string[] | undefined {
  if (toolsFile === undefined) return undefined;
  const parsed = tryParse(toolsFile, (path): unknown => JSON.parse(readFileSync(path, 'utf8')));
  const names = itemsOf(toolsOfProvider(parsed, name)).map((tool) => fieldsOf(tool)['name']);
  return names.length > 0 && names.every((one) => typeof one === 'string') ? names : undefined;
}
