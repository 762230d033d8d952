"""The terminal view: what is known of a stream (`state`) and how it looks (the rest, which needs rich).

Nothing here reads, writes, sleeps or looks at a clock.
"""
