# A damped oscillator x and its velocity-free transform xi = exp(B*t/2)*x.
# Cellier, Numerical Simulation of Dynamic Systems IX (2013), Linear Velocity Models; the data are chosen here.
param B = 0.4, c = 4

x''  = -B*x' - c*x
xi'' = (B^2/4 - c)*xi

init x  = 1, x'  = 0
init xi = 1, xi' = B/2
output difference = x - exp(-B*t/2)*xi
run 0 .. 10
