import keyPage from '../console/styles/key-page.css?inline';
import usage from '../console/styles/usage.css?inline';
import { laterStyles } from './styles.ts';

// The page of a key needs these.
laterStyles.replaceSync(keyPage + usage);
