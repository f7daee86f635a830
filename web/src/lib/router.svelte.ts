/** Where the page is: a path, and the parts of it that a view needs. */

class Router {
  path = $state(typeof location === 'undefined' ? '/' : location.pathname)
  query = $state(typeof location === 'undefined' ? '' : location.search)
  /** The place on the page that a link names, such as a clause; without its `#`. */
  hash = $state(typeof location === 'undefined' ? '' : place(location.hash))

  constructor() {
    if (typeof window === 'undefined') return
    window.addEventListener('popstate', () => this.look())
    window.addEventListener('hashchange', () => this.look())
  }

  private look(): void {
    this.path = location.pathname
    this.query = location.search
    this.hash = place(location.hash)
  }

  go(to: string, replace = false): void {
    if (replace) history.replaceState(null, '', to)
    else history.pushState(null, '', to)
    this.look()
    // A view scrolls by itself to a place that is named.
    if (!replace && this.hash === '') window.scrollTo(0, 0)
  }

  /** Follows links within the page without loading it again. */
  follow = (event: MouseEvent): void => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = (event.target as Element | null)?.closest('a')
    if (!link || link.target || link.hasAttribute('download')) return
    const url = new URL(link.href, location.href)
    if (url.origin !== location.origin || url.pathname.startsWith('/api')) return
    if (url.pathname === location.pathname && url.hash) return
    event.preventDefault()
    this.go(url.pathname + url.search + url.hash)
  }
}

function place(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1))
  } catch {
    return hash.slice(1)
  }
}

export const router = new Router()

/** What stands between the strokes of a path. */
export function words(path: string): string[] {
  const found = path.split('/').filter((part) => part !== '')
  return found.map((part) => {
    try {
      return decodeURIComponent(part)
    } catch {
      // Half of a character: it names nothing, and breaks nothing.
      return part
    }
  })
}

/** The parts of a path after a first word: `parts('/table/t1', 'table')` is `['t1']`. */
export function parts(path: string, first: string): string[] | null {
  const [found, ...rest] = words(path)
  return found === first ? rest : null
}

/** How long after a first failure a part of the page is asked for again. */
const AGAIN_MS = 800

/** Fetches a part of the page, once more if that fails. */
export function twice<Part>(load: () => Promise<Part>): Promise<Part> {
  return load().catch(() => new Promise((done) => setTimeout(done, AGAIN_MS)).then(() => load()))
}
