import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { homeFolder } from './home-folder.ts';

test('the home folder is ~/.data-designer and contains the files and managed assets', () => {
  const path = join(homedir(), '.data-designer');
  expect(homeFolder({})).toEqual({
    path,
    files: {
      modelProviders: join(path, 'model_providers.yaml'),
      modelConfigs: join(path, 'model_configs.yaml'),
      mcpProviders: join(path, 'mcp_providers.yaml'),
      toolConfigs: join(path, 'tool_configs.yaml'),
    },
    executionProviders: join(path, 'execution_providers.yaml'),
    managedAssets: join(path, 'managed-assets'),
    pluginCatalogs: join(path, 'npm_plugin_catalogs.yaml'),
    pluginCatalogCache: join(path, 'npm-plugin-catalog-cache'),
  });
});

test('DATA_DESIGNER_HOME moves the whole folder, DATA_DESIGNER_MANAGED_ASSETS_PATH only the assets', () => {
  const moved = homeFolder({ DATA_DESIGNER_HOME: 'mine' });
  expect(moved.path).toBe(resolve('mine'));
  expect(moved.managedAssets).toBe(resolve('mine', 'managed-assets'));
  const elsewhere = homeFolder({ DATA_DESIGNER_HOME: 'mine', DATA_DESIGNER_MANAGED_ASSETS_PATH: 'big' });
  expect(elsewhere.path).toBe(resolve('mine'));
  expect(elsewhere.managedAssets).toBe(resolve('big'));
});

test.each([
  ['', join(homedir(), '.data-designer')],
  [' ', join(homedir(), '.data-designer')],
  ['~', homedir()],
  ['~/own', join(homedir(), 'own')],
  ['~other', resolve('~other')],
])('DATA_DESIGNER_HOME=%j is the folder %s', (given, path) => {
  expect(homeFolder({ DATA_DESIGNER_HOME: given }).path).toBe(path);
});
