// Package static holds the files that the page loads: the built bundle, the
// style sheet, the fonts and the icons, embedded so that the hub is one file
// and works offline.
package static

import "embed"

// FS holds app.js, the scripts that it loads, app.css, fonts/ and icons/. It is read-only and safe for
// concurrent use.
//
//go:embed app.js classroom.js picture.js panels.js app.css fonts icons
var FS embed.FS
