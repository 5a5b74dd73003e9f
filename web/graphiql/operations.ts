import { buildSchema } from 'graphql';
import text from '../../schema/schema.graphql?raw';
export const schema = buildSchema(text);
export const operations = [{ query: '{ privateKeyStatus { hasKey } }' }];
