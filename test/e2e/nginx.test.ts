import { documentedNginx } from '../support/forward-auth-recipes.ts';
import { describeDocumentedProxy } from '../support/proxy-suite.ts';

describeDocumentedProxy(documentedNginx);
