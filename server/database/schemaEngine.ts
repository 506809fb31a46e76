import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, DriverAdapterError } from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

const ENGINE_MODULE = '@prisma/schema-engine-wasm/schema_engine_bg';

/** The time limits of the connections that migrations use. */
export const CONNECT_TIMEOUT_MS = 5_000;
export const LOCK_TIMEOUT_MS = 60_000;

/** Prisma manages the whole schema. */
export const NO_FILTERS = { externalTables: [], externalEnums: [] };

/**
 * Runs `use` with Prisma's official schema engine, the one of `prisma migrate`, on the database at `url`. This is its WASM build:
 * the native one is downloaded at run time. Loading takes about 0.1 s.
 */
export async function withSchemaEngine<T>(
  url: string,
  schema: string,
  use: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  const { SchemaEngine } = await loadEngine();
  // One connection, because the engine's lock and settings belong to a connection.
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
  });
  pool.on('error', () => {});
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(new WholeScriptPg(pool));
    const engine = await SchemaEngine.new({ datamodels: [['schema.prisma', schema]] }, () => {}, adapter);
    try {
      return await use(engine);
    } finally {
      engine.free();
    }
  } finally {
    await pool.end();
  }
}

/**
 * Sends a migration as one script, which PostgreSQL runs as one transaction, like the native engine. Prisma's own adapter cuts it at
 * every `;`, also inside strings and function bodies, and commits each piece.
 */
class WholeScriptPg extends PrismaPg {
  override async connect() {
    const adapter = await super.connect();
    const pool = adapter.underlyingDriver();
    adapter.executeScript = async (script) => {
      try {
        await pool.query(script);
      } catch (error) {
        throw error instanceof pg.DatabaseError ? adapterError(error) : error;
      }
    };
    return adapter;
  }
}

function adapterError(error: pg.DatabaseError): DriverAdapterError {
  const { code = 'N/A', severity = 'N/A', message, detail, column, hint } = error;
  return new DriverAdapterError({ kind: 'postgres', code, severity, message, detail, column, hint });
}

let loading: ReturnType<typeof instantiateEngine> | undefined;

function loadEngine() {
  loading ??= instantiateEngine();
  return loading;
}

/** Loads the WASM by hand: Node 20 cannot import `.wasm`, which the entry of the package does. */
async function instantiateEngine() {
  const glue = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const gluePath = createRequire(import.meta.url).resolve(ENGINE_MODULE);
  const wasm = await readFile(gluePath.replace(/\.js$/, '.wasm'));
  const { instance } = await WebAssembly.instantiate(wasm, { './schema_engine_bg.js': glue });
  glue.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return glue;
}

type EngineInstance = { instance: { exports: { __wbindgen_start(): void } } };

/** TypeScript declares it for browsers only. */
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: { instantiate(bytes: Uint8Array, imports: Record<string, object>): Promise<EngineInstance> };
};
