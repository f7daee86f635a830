/** Starts the page. */
import { mount } from 'svelte'
import App from './App.svelte'
import { learn } from './lib/texts'
import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'

/** What the page cannot do without: where it is missing, what is needed is said instead. */
const able =
  'showModal' in HTMLDialogElement.prototype &&
  'findLast' in Array.prototype &&
  CSS.supports('container-type: inline-size') &&
  CSS.supports('color: color-mix(in srgb, red, blue)')

const target = document.getElementById('app')
// The first words that are shown are in the chosen language.
if (target && able)
  void learn().then(() => {
    target.textContent = ''
    mount(App, { target })
  })
