# A delay equation with a known solution: what was before the start is given as the third argument of delay(z, T, past).
# Bellman, Cooke, Differential-Difference Equations (1963), sec. 4.5: the characteristic equation s = -(pi/2) e^(-s) has s = i pi/2.
x' = -pi/2*delay(x, 1, cos(pi/2*t))

init x = 1
output error = x - cos(pi/2*t)
run 0 .. 40
