// Wide tables scroll on narrow screens. Keyboards reach them there, also where no cell has a link.
document$.subscribe(() => {
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap")) table.tabIndex = 0
})
