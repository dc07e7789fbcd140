"""The public pages: plain HTML made from the public views, for a phone as for a wall, in any language of `languages/`."""
