export { pageCodec, pageDecompressors } from './formats/parquet/parquet-codec.ts';
export { parquetSchema } from './formats/parquet/parquet-schema.ts';
export { parquetColumn } from './formats/parquet/parquet-column.ts';
export { countRows, readFooter, readRows, rowBytesByColumn } from './formats/parquet/read-parquet.ts';
export { StreamWriter } from './formats/parquet/stream-writer.ts';
