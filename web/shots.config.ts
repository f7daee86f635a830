import base from './playwright.config'

export default { ...base, testDir: '.', testMatch: 'shots.ts', workers: 1, timeout: 600_000 }
