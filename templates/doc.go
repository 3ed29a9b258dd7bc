// Package templates renders the pages: the map as SVG, the panel, the bar of
// time and the tables that stand in for them before any script runs. A page is
// made from a view model alone (Page, Notice); the package knows neither the
// server nor the rows. The map's geometry lives here as Go constants and is
// written out for TypeScript by templates/gen.
package templates
