import 'swagger-ui-dist/swagger-ui.css';
import './main.css';
import { createRoot } from 'react-dom/client';
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { TopBar } from '../shared/top-bar.tsx';
import { authorize } from './authorize.ts';

createRoot(document.getElementById('bar') as HTMLElement).render(<TopBar current="reference" />);

const description = await (await fetch('/api/v1/openapi.json')).json();
SwaggerUI({
  domNode: document.getElementById('reference'),
  spec: description,
  deepLinking: true,
  tryItOutEnabled: true,
  // No document leaves this service to be validated elsewhere.
  validatorUrl: null,
  requestInterceptor: authorize,
});
