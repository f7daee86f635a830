/** Starts the page. */
import { mount } from 'svelte'
import App from './App.svelte'
import { learn } from './lib/texts'
import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'

const target = document.getElementById('app')
// The first words that are shown are in the chosen language.
if (target) void learn().then(() => mount(App, { target }))
