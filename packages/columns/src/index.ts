export { columnTypes } from './column-types.ts';
export {
  customColumn,
  type CustomGenerator,
  type GeneratorContext,
  type GeneratorNeeds,
} from './custom/custom-column.ts';
export { structuredRecipe } from './llm-structured/llm-structured.ts';
