# A differential-algebraic system of index 1 that oscillates faster and faster, with a known solution.
# Königsmarková, report 2014V005, example 1 (25).

y1' = -t*y2 - (1 + t)*z1
y2' =  t*y1 - (1 + t)*z2
(y1 - z2)/5 = cos(t^2/2)
(y2 + z1)/5 = sin(t^2/2)

init y1 = 5, y2 = 1
output error1 = y1 - (sin(t) + 5*cos(t^2/2))
output error2 = y2 - (cos(t) + 5*sin(t^2/2))
run 0 .. 10
