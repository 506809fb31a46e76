/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
export type SignInMutationVariables = Exact<{
  username: string;
  password: string;
}>;


export type SignInMutation = { login: { company: string, expiry: string, jwt: string } };

export type CreateTokenMutationVariables = Exact<{ [key: string]: never; }>;


export type CreateTokenMutation = { createToken: { streamUrl: string, expiry: string, lifetimeSeconds: number } };

export type SignOutMutationVariables = Exact<{ [key: string]: never; }>;


export type SignOutMutation = { logout: boolean };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}

export const SignInDocument = new TypedDocumentString(`
    mutation SignIn($username: String!, $password: String!) {
  login(username: $username, password: $password) {
    company
    expiry
    jwt
  }
}
    `) as unknown as TypedDocumentString<SignInMutation, SignInMutationVariables>;
export const CreateTokenDocument = new TypedDocumentString(`
    mutation CreateToken {
  createToken {
    streamUrl
    expiry
    lifetimeSeconds
  }
}
    `) as unknown as TypedDocumentString<CreateTokenMutation, CreateTokenMutationVariables>;
export const SignOutDocument = new TypedDocumentString(`
    mutation SignOut {
  logout
}
    `) as unknown as TypedDocumentString<SignOutMutation, SignOutMutationVariables>;