import { mount } from 'svelte';
import Settings from './settings.svelte';

const target = document.getElementById('root');
if (target) mount(Settings, { target });
