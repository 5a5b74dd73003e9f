import { documentedCaddy } from '../support/forward-auth-recipes.ts';
import { describeDocumentedProxy } from '../support/proxy-suite.ts';

describeDocumentedProxy(documentedCaddy);
