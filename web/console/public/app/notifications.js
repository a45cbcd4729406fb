// The service worker of the console: it only shows notifications, which phones allow to nobody else, and brings the page to
// the front when one is clicked. It keeps no files and answers no requests.
addEventListener("notificationclick", (event) => {
  event.notification.close()
  event.waitUntil(showPage(event.notification.data.hash))
})

async function showPage(hash) {
  const page = new URL("../", registration.scope).href
  const windows = await clients.matchAll({ type: "window", includeUncontrolled: true })
  const open = windows.find(({ url }) => url.split("#")[0] === page)
  if (open === undefined) return clients.openWindow(`${page}${hash}`)
  open.postMessage({ hash }, [])
  return open.focus()
}
