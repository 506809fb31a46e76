import type { CodegenConfig } from '@graphql-codegen/cli';

/** `schema.graphql` → the server's resolver types and the client's typed documents. */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  config: { useTypeImports: true, importExtension: '.ts', avoidOptionals: { field: true } },
  generates: {
    'server/generated/resolverTypes.ts': {
      plugins: ['typescript', 'typescript-resolvers'],
      config: {
        contextType: '../context.ts#RequestContext',
        scalars: { DateTime: 'Date', ID: 'string' },
      },
    },
    'client/gql/graphql.ts': {
      documents: 'client/operations.graphql',
      plugins: ['typescript-operations', 'typed-document-node'],
      config: { scalars: { DateTime: 'string', ID: 'string' } },
    },
  },
};

export default config;
