/// <reference types="vitest/config" />
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { svelteTesting } from '@testing-library/svelte/vite'
import { defineConfig } from 'vite'

/** The server that answers /api while the page is worked on or tried. */
const server = process.env['SABOT_SERVER'] ?? 'http://127.0.0.1:7373'
const proxy = { '/api': { target: server, ws: true, changeOrigin: false } }
/** What the program itself says of the page: tried here so that nothing breaks there. */
const headers = {
  'content-security-policy':
    "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
}

export default defineConfig(({ mode }) => ({
  plugins: [svelte(), ...(mode === 'test' ? [svelteTesting()] : [])],
  server: { proxy },
  preview: { proxy, headers },
  build: {
    // The page's policy forbids anything inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    manifest: true,
  },
  test: { environment: 'happy-dom', include: ['test/**/*.test.ts'] },
}))
