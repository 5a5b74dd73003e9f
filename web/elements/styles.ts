import base from '../console/styles/base.css?inline';
import cards from '../console/styles/cards.css?inline';
import controls from '../console/styles/controls.css?inline';
import dialog from '../console/styles/dialog.css?inline';
import keys from '../console/styles/keys.css?inline';
import layout from '../console/styles/layout.css?inline';
import problem from '../console/styles/problem.css?inline';
import tokens from '../console/styles/tokens.css?inline';
import views from '../console/styles/views.css?inline';
import theme from '../shared/theme.css?inline';
import element from './element.css?inline';

/** The styles of all elements on the page. A policy of the page against inline styles does not concern them. */
export const styles = new CSSStyleSheet();
styles.replaceSync(
  [theme, tokens, base, controls, layout, problem, cards, views, keys, dialog, element].join(''),
);

/** The styles of what is loaded later, with its code. */
export const laterStyles = new CSSStyleSheet();
