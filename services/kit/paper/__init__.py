"""An event as texts that need no screen: fields, figures, pages to print, sheets for a spreadsheet."""
