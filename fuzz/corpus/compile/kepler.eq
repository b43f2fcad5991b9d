# Two turns of a planet on an ellipse of eccentricity e around a fixed sun.
# Veigend, PhD thesis (Brno 2023), sec. 4.7 (4.60), (4.61).
param e = 0.5

r   = sqrt(x^2 + y^2)
x'' = -x/r^3
y'' = -y/r^3

init x = 1 - e, x' = 0
init y = 0,     y' = sqrt((1 + e)/(1 - e))

output energy   = (x'^2 + y'^2)/2 - 1/r           # stays -1/2
output momentum = x*y' - y*x'                     # stays sqrt(1 - e^2)
output ellipse  = (x + e)^2 + y^2/(1 - e^2) - 1   # stays 0
run 0 .. 4*pi
