import type { CodegenConfig } from '@graphql-codegen/cli';

/** `schema.graphql` → the server's resolver types, everybody's enums, typed documents of the client and of the examples. */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  config: {
    useTypeImports: true,
    importExtension: '.ts',
    avoidOptionals: { field: true },
    enumsAsTypes: true,
  },
  generates: {
    'server/graphql/resolverTypes.generated.ts': {
      plugins: ['typescript', 'typescript-resolvers'],
      config: {
        scalars: { DateTime: 'Date', ID: 'string' },
        contextType: './requestContext.ts#RequestContext',
        disableDescriptions: true,
      },
    },
    'shared/schemaEnums.generated.ts': {
      plugins: ['typescript'],
      config: { onlyEnums: true, disableDescriptions: true },
    },
    'client/api/gql/graphql.ts': {
      documents: 'client/api/operations.graphql',
      plugins: ['typescript-operations', 'typed-document-node'],
      config: { scalars: { DateTime: 'string', ID: 'string' } },
    },
    'docs/examples/gql/graphql.ts': {
      documents: 'docs/examples/operations.graphql',
      plugins: ['typescript-operations', 'typed-document-node'],
      // Documents as text can be sent without any package.
      config: { scalars: { DateTime: 'string', ID: 'string' }, documentMode: 'string' },
    },
    'docs/examples/gql/enums.ts': {
      plugins: ['typescript'],
      config: { onlyEnums: true },
    },
  },
};

export default config;
