import { createApp, defineComponent, h, ref } from 'vue';
import { getToken, listen } from './page.ts';

const Settings = defineComponent(() => {
  const count = ref(0);
  return () =>
    h('main', [
      h('h1', 'Settings'),
      h('button', { type: 'button', onClick: () => count.value++ }, `Drawn again: ${count.value}`),
      h('keyward-keys', {
        '.getToken': () => getToken(),
        onKeyCreated: listen,
        onKeyDeactivated: listen,
        onError: listen,
      }),
    ]);
});

createApp(Settings).mount('#root');
