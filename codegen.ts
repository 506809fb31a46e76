import type { CodegenConfig } from '@graphql-codegen/cli';

/** `schema.graphql` → the server's resolver types, enums for all, typed documents of the client and of the examples. */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  config: {
    useTypeImports: true,
    importExtension: '.ts',
    avoidOptionals: { field: true },
    enumsAsTypes: true,
  },
  generates: {
    'server/generated/resolverTypes.ts': {
      plugins: ['typescript', 'typescript-resolvers'],
      config: {
        scalars: { DateTime: 'Date', ID: 'string' },
        contextType: '../graphql/requestContext.ts#RequestContext',
        disableDescriptions: true,
      },
    },
    'shared/generated/schemaEnums.ts': {
      plugins: ['typescript'],
      config: { onlyEnums: true, disableDescriptions: true },
    },
    'client/generated/graphql.ts': {
      documents: 'client/**/*.graphql',
      plugins: ['typescript-operations', 'typed-document-node'],
      config: { scalars: { DateTime: 'string', ID: 'string' } },
    },
    'docs/examples/generated/graphql.ts': {
      documents: 'docs/examples/operations.graphql',
      plugins: ['typescript-operations', 'typed-document-node'],
      // Documents as text can be sent without any package.
      config: { scalars: { DateTime: 'string', ID: 'string' }, documentMode: 'string' },
    },
    'docs/examples/generated/enums.ts': {
      plugins: ['typescript'],
      config: { onlyEnums: true },
    },
  },
};

export default config;
