import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '@data-designer/testing/test-folder';
import { builtInProviders } from './built-in-providers.ts';
import { offeredTools } from './offered-tools.ts';

const folder = testFolder('offered-tools');

test('the tools of functions, of files and of the demo server are known before a run', () => {
  const toolsFile = join(folder, 'tools.json');
  writeFileSync(toolsFile, JSON.stringify({ providers: [{ provider: 'filed', tools: [{ name: 'get' }] }] }));
  const remote = { providerType: 'sse', endpoint: 'http://127.0.0.1:1/', apiKey: null } as const;
  const tools = [
    ...builtInProviders.tools,
    { ...remote, name: 'filed', toolsFile, toolPrefix: 'f_' },
    { ...remote, name: 'gone', toolsFile: join(folder, 'none.json') },
    { ...remote, name: 'listed' },
  ];
  const functions = { name: 'functions', providerType: 'local', tools: [{ name: 'sum' }] } as never;
  const offered = offeredTools({ models: [], tools }, [functions]);
  expect(Object.fromEntries(offered)).toEqual({
    'demo-tools': { names: ['get_fact', 'add_numbers', 'list_topics'] },
    filed: { names: ['get'], prefix: 'f_' },
    functions: { names: ['sum'] },
  });
  const module = { name: 'demo-tools', providerType: 'local', module: './mine.ts' } as const;
  expect(offeredTools({ models: [], tools }, [module]).has('demo-tools')).toBe(false);
});
