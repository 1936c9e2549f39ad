export { DataDesigner } from './data-designer.ts';
export { serveTools } from './serve-tools.ts';
export { FAMILY_NAMES, type KnownType, typeFamilies, type TypeFamily } from './serve/type-families.ts';
