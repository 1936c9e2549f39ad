export { ENGINE_NAMES, type EngineName } from './engine-names.ts';
export { missingPackage } from './optional-package.ts';
