# DETEST B2: a linear chemical reaction.
# Hull et al., SIAM J. Numer. Anal. 9 (1972) 603-637; Veigend, PhD thesis (Brno 2023), app. E.6.

y1' = -y1 +   y2
y2' =  y1 - 2*y2 + y3
y3' =         y2 - y3

init y1 = 2, y2 = 0, y3 = 1
output error1 = y1 - (1 + exp(-t)/2 + exp(-3*t)/2)
output error2 = y2 - (1 - exp(-3*t))
output error3 = y3 - (1 - exp(-t)/2 + exp(-3*t)/2)
run 0 .. 20
