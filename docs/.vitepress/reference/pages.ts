import { apiPage, pluginsApiPage } from './api-pages.ts';
import { commandsPage } from './commands-page.ts';
import { columnsPage } from './columns-page.ts';
import { configPage, modelsPage, processorsPage, samplersPage, seedsPage, toolsPage } from './config-pages.ts';
import { errorsPage } from './errors-page.ts';
import { settingsPage } from './settings-page.ts';

/** The pages of the reference by name, in the order of the sidebar, with the function that writes each. */
export const REFERENCE_PAGES: Readonly<Record<string, () => string>> = {
  config: configPage,
  columns: columnsPage,
  samplers: samplersPage,
  models: modelsPage,
  tools: toolsPage,
  seeds: seedsPage,
  processors: processorsPage,
  settings: settingsPage,
  commands: commandsPage,
  errors: errorsPage,
  api: apiPage,
  'plugins-api': pluginsApiPage,
};
