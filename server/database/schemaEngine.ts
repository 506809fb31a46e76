import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, DriverAdapterError } from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

const ENGINE_MODULE = '@prisma/schema-engine-wasm/schema_engine_bg';

export const NO_FILTERS = { externalTables: [], externalEnums: [] };

/**
 * Runs `use` with Prisma's official schema engine, the one of `prisma migrate`, on a connection. This is its WASM build: the native
 * one is downloaded at run time. Loading takes about 0.1 s.
 */
export async function withSchemaEngine<T>(
  client: pg.Client,
  schema: string,
  use: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  const { SchemaEngine } = await loadEngine();
  const adapter = bindMigrationAwareSqlAdapterFactory(new OneConnectionPg(client));
  const engine = await SchemaEngine.new({ datamodels: [['schema.prisma', schema]] }, () => {}, adapter);
  try {
    return await use(engine);
  } finally {
    engine.free();
  }
}

/** Prisma's adapter on one connection instead of a pool, so that the caller's locks and transactions hold for the engine too. */
class OneConnectionPg extends PrismaPg {
  constructor(private readonly client: pg.Client) {
    super(Object.assign(new pg.Pool(), { query: client.query.bind(client) }));
  }

  /**
   * Sends a migration as one script: Prisma's own adapter cuts it at every `;`, also inside strings and function bodies. The
   * transaction around it outlives a refusal, so that the engine can record why.
   */
  override async connect() {
    const adapter = await super.connect();
    adapter.executeScript = async (script) => {
      await this.client.query('SAVEPOINT script');
      try {
        await this.client.query(script);
      } catch (error) {
        if (!(error instanceof pg.DatabaseError)) throw error;
        await this.client.query('ROLLBACK TO SAVEPOINT script');
        throw adapterError(error);
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
